import type { Handler } from "./$types.ts";

const handler: Handler = async () => undefined;

export default handler;
