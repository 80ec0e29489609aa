import './oneDemo/examples';
