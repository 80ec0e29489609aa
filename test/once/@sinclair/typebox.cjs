module.exports = requireOnce('@sinclair/typebox');
