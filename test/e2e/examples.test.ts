import './oneDemo/examplesInEditor';
