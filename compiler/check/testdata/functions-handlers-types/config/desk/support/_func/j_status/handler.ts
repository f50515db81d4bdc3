import type { Handler } from "./$types.ts";

const handler: Handler = async () => ({ status: "204" });

export default handler;
