import type { Handler } from "./$types.ts";

/** One read and one write. */
const take: Handler = async ({ id, amount }, ctx) => {
  const item = await ctx.db.shop.items.get(id);
  if (item === null) throw ctx.error(404, "no_such_item", "There is no such item.");
  const stock = (item.stock ?? 0) - amount;
  await ctx.db.shop.items.patch(id, { stock });
  return { stock };
};

export default take;
