module.exports = requireOnce('@fastify/jwt');
