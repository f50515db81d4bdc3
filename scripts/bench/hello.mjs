// The floor: a bare Fastify server that answers a constant.
import Fastify from "fastify";

const app = Fastify();
app.get("/", async () => ({ hello: "world" }));
const address = await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ ready: address });
