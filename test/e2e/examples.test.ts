// The examples run before anybody has applied.
import './oneDemo/examples';
