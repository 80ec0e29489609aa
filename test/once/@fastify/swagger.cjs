module.exports = requireOnce('@fastify/swagger');
