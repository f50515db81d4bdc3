/** What was measured, a row each. */
export class Report {
  readonly #rows: (readonly [name: string, figure: string, target: string])[] = [];

  add(name: string, figure: number | string, target: string): void {
    const text = typeof figure === "string" ? figure : figure.toFixed(figure < 10 ? 2 : 1);
    this.#rows.push([name, text, target]);
    process.stderr.write(`\r${name}: ${text}                              \n`);
  }

  print(streams: number, rounds: number): void {
    console.log(`\n| realtime, ${streams} streams | measured | target |\n|---|---:|---:|`);
    for (const row of this.#rows) console.log(`| ${row.join(" | ")} |`);
    console.log(`\nMedians of ${rounds} rounds; the bare server writes the same bytes to as many sockets.`);
  }
}
