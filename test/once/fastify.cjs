module.exports = requireOnce('fastify');
