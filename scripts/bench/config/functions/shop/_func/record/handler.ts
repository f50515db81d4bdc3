import type { Handler } from "./$types.ts";

/** One write: what jobs of the benchmark do. */
const record: Handler = async ({ of, sent }, ctx) => {
  await ctx.db.shop.receipts.create({ of, sent });
};

export default record;
