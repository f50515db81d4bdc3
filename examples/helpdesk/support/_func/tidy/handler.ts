import type { Handler } from "./$types.ts";

const days = 24 * 60 * 60 * 1000;

/** Closes what was solved two weeks ago and nobody came back to. */
const tidy: Handler = async (_, ctx) => {
  const { tickets } = ctx.db.support;
  const before = new Date(ctx.now().getTime() - 14 * days);
  let closed = 0;
  const forgotten = tickets.each({ where: { status: "solved", "_meta.updated_at": { $lt: before } } });
  for await (const { id, _meta } of forgotten) {
    // Where somebody did come back this moment, the run fails, and the next attempt goes on with what is left.
    await tickets.patch(id, { status: "closed" }, { ifMatch: _meta.version });
    closed += 1;
  }
  ctx.log.info("tickets closed", { closed });
};

export default tidy;
