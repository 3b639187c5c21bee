export interface Tally {
  passed: number;
  failed: number;
}

/**
 * Reads what `bun test` printed at its end. The exit code alone is no proof: a test that calls process.exit(0)
 * ends the whole run with 0. And what was skipped has not passed.
 */
export function tally(output: string, exitCode: number): Tally {
  const lastLines = Bun.stripANSI(output).trimEnd().split("\n").slice(-10);
  const count = (word: string) => {
    const line = lastLines.find((text) => new RegExp(`^ *\\d+ ${word}$`).test(text));
    return line ? Number.parseInt(line, 10) : 0;
  };
  const isComplete = lastLines.some((line) => /^Ran \d+ tests? across \d+ files?\./.test(line));
  const passed = count("pass");
  const failed = count("fail") + count("skip") + count("todo");
  const isFlawless = isComplete && exitCode === 0 && passed > 0;
  return { passed, failed: isFlawless ? failed : Math.max(failed, 1) };
}

/** What `bun test` printed of each test that failed, which otherwise is thousands of lines above its end. */
export function failures(output: string): string[] {
  const found: string[] = [];
  let file = "";
  let lines: string[] = [];
  for (const line of Bun.stripANSI(output).split("\n")) {
    // The names of those that failed follow, once more.
    if (/^\d+ tests? failed:$/.test(line)) break;
    if (/^\S+\.test\.ts:$/.test(line)) {
      file = line;
      lines = [];
    } else if (line.startsWith("(fail) ")) {
      found.push([file, ...lines.slice(-80), line].join("\n"));
      lines = [];
    } else if (/^\((pass|skip|todo)\) /.test(line)) lines = [];
    else lines.push(line);
  }
  return found;
}
