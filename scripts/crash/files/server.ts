/** A server process whose clock is fast: see `papers.ts`. */
import { runFast } from "./fast-clock.ts";

runFast();
// Only now, since it keeps the clock.
await import("./papers.ts");
