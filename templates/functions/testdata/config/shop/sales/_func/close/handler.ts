import type { Handler } from "./$types.ts";

const handler: Handler = async () => ({});

export default handler;
