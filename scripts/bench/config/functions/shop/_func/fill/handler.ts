import type { Handler } from "./$types.ts";

/** Queues calls of `record`. */
const fill: Handler = async ({ count, delay }, ctx) => {
  const inputs = Array.from({ length: count }, (_, n) => ({ of: `job ${n}`, sent: ctx.now().getTime() }));
  await Promise.all(inputs.map((input) => ctx.jobs.enqueue("shop/record", input, { delay })));
};

export default fill;
