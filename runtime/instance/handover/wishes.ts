import type { Log } from "../../realm/exchange.ts";

/** When the process is asked to hand over: by SIGUSR2, or by a command. What comes while a handover is under way is a wish for that one. */
export class HandoverWishes {
  readonly #log: Log;
  #underWay = false;
  #wished: Promise<"hand over">;
  #wish: () => void = () => undefined;

  constructor(log: Log) {
    this.#wished = this.#another();
    // Its default would end the process.
    process.on("SIGUSR2", () => this.wish());
    this.#log = log;
  }

  wish(): void {
    if (this.#underWay) this.#log.info({}, "a handover is under way");
    this.#wish();
  }

  /** Resolves when there is one. */
  async next(): Promise<"hand over"> {
    const wished = await this.#wished;
    this.#underWay = true;
    return wished;
  }

  /** The handover is over, and this process goes on. */
  done(): void {
    this.#underWay = false;
    this.#wished = this.#another();
  }

  #another(): Promise<"hand over"> {
    return new Promise((resolve) => {
      this.#wish = () => resolve("hand over");
    });
  }
}
