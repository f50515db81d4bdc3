// Types of exactly this function, made of function.yaml and the schemas: by realmc dev, and by npm run build.
import type { Handler } from "./$types.ts";

/** Whoever sees a task finishes it, and says what it took: to set `hours` themselves is a matter of leads. */
const finish: Handler = async ({ task: id, hours }, ctx) => {
  const task = await ctx.caller.db.work.tasks.get(id);
  if (task === null) throw ctx.error(404, "no_such_task", "You see no task of this id.");
  if (task.status === "done") throw ctx.error(409, "already_done", "It is done already.");
  const { title } = await ctx.db.work.tasks.patch(id, { status: "done", hours });
  ctx.log.info("finished", { id, hours });
  return { title };
};

export default finish;
