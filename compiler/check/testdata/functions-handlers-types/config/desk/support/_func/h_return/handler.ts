import type { Handler } from "./$types.ts";

const handler: Handler = async ({ ticket }) => {
  return { n: ticket };
};

export default handler;
