import type { Handler } from "./$types.ts";

/** From a commit to a write. */
const follow: Handler = async (event, ctx) => {
  if (event.kind !== "trigger") return;
  await ctx.db.shop.receipts.create({ of: event.document.id, sent: event.document.sent });
};

export default follow;
