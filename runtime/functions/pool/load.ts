import { type EventLoopUtilization, performance } from "node:perf_hooks";

/** Milliseconds that are judged at a time, at least, and which part of them the event loop is busy where it is full. */
const period = 20;
const full = 0.9;

/** Whether the event loop of this process has its hands full: then what threads ask of it is answered no sooner, however many they are. */
export class Load {
  #since = performance.now();
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  #isFull = false;

  /** To be called every few milliseconds, as long as anything runs. */
  isFull(now: number): boolean {
    if (now - this.#since < period) return this.#isFull;
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    this.#isFull = performance.eventLoopUtilization(this.#utilization, before).utilization > full;
    this.#since = now;
    return this.#isFull;
  }
}
