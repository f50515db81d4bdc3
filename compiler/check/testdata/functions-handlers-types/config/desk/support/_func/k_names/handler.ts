import type { Handler } from "./$types.ts";

const handler: Handler = async (_, ctx) => {
  await ctx.db.suport.tickets.get("x");
  await ctx.db.support.tickets.fetch("x");
  await ctx.db.support.tickets.list({ where: { statuss: "open" } });
  return undefined;
};

export default handler;
