module.exports = requireOnce('fast-check');
