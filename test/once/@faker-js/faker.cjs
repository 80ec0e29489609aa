module.exports = requireOnce('@faker-js/faker');
