module.exports = requireOnce('@fastify/swagger-ui');
