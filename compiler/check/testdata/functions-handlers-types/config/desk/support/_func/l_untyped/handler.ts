export default async (input, ctx) => ({ n: ctx.log.info(input) });
