// What of SQLite the hand-written document server needs beside its statements: writes that wait for the disk together.

/**
 * The writes of one turn of the event loop share one transaction, and one wait for the disk. Each fails by itself, and none
 * is answered before all are durable.
 */
export function groupCommit(db) {
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let waiting = [];

  function flush() {
    const group = waiting;
    waiting = [];
    try {
      begin.run();
      for (const job of group) {
        try {
          job.value = job.run();
        } catch (error) {
          job.error = error;
        }
      }
      commit.run();
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      for (const { reject } of group) reject(error);
      return;
    }
    for (const { value, error, resolve, reject } of group)
      error === undefined ? resolve(value) : reject(error);
  }

  /** Resolves with what `run` answers, whose one write is durable then, or its several, in a savepoint of its own. */
  return (run) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ run, resolve, reject, value: undefined, error: undefined }) === 1)
        setImmediate(flush);
    });
}
