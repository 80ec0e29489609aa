module.exports = requireOnce('@sinclair/typebox/compiler');
