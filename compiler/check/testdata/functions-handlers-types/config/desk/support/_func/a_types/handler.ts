import { word } from "../../../_shared/words.ts";
import { missing } from "./missing.ts";
import type { Handler } from "./$types.ts";

const handler: Handler = async (input, ctx) => {
  const ticket = await ctx.db.support.tickets.get(input.idd);
  if (ticket?.status === "opened") return { closed: "yes" };
  await ctx.db.support.tickets.patch(input.id, { stat: word });
  return { closed: missing };
};

export default handler;
