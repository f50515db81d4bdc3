/** What was measured, a row each. */
export class Report {
  readonly #rows: (readonly [name: string, figure: string, target: string])[] = [];

  add(name: string, figure: number | string, target: string): void {
    const text = typeof figure === "string" ? figure : figure.toFixed(figure < 10 ? 2 : 1);
    this.#rows.push([name, text, target]);
    process.stderr.write(`\r${name}: ${text}                              \n`);
  }

  /** @param note below the table */
  print(heading: string, note: string): void {
    console.log(`\n| ${heading} | measured | target |\n|---|---:|---:|`);
    for (const row of this.#rows) console.log(`| ${row.join(" | ")} |`);
    console.log(`\n${note}`);
  }
}
