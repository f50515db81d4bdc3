import type { Handler } from "./$types.ts";

const handler: Handler = async ({ id }, ctx) => {
  const { invoices } = ctx.db.billing;
  await ctx.db.support.replies.create({});
  await ctx.db.support.tikets.get(id);
  await ctx.mail.send({ to: "x@example.com", subject: "x", text: ctx.secrets.OTHER_KEY });
  await ctx.fetch("https://api.example.com/a");
  await ctx.fetch(`https://other.example.com/${id}`);
  await fetch("https://api.example.com/b");
  console.log(process.env, globalThis.process, structuredClone(id), Buffer.from(id), invoices);
  return { closed: true };
};

export default handler;
