module.exports = requireOnce('@fastify/formbody');
