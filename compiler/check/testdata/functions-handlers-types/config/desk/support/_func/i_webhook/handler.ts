import type { Handler } from "./$types.ts";

const handler: Handler = async (_, ctx) => {
  ctx.logs.info("called");
  return ctx.caller.id === null ? undefined : { status: 204 };
};

export default handler;
