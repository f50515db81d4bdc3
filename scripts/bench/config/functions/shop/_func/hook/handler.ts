import type { Handler } from "./$types.ts";

/** The floor: nothing is read, a constant is answered. */
const hook: Handler = async () => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"received":true}',
});

export default hook;
