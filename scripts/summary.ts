export interface Tally {
  passed: number;
  failed: number;
}

/**
 * Parses the summary of `bun test`. The exit code is not sufficient: a test that calls process.exit(0) ends the run
 * with 0. Skipped tests count as failed.
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

/** The output of each failed test, which otherwise is thousands of lines before the end. */
export function failures(output: string): string[] {
  const found: string[] = [];
  let file = "";
  let lines: string[] = [];
  for (const line of Bun.stripANSI(output).split("\n")) {
    // The names of failed tests are repeated after this line.
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

/** The files of the failed tests, each once. */
export const failedFiles = (output: string): string[] => [
  ...new Set(failures(output).map((failure) => failure.slice(0, failure.indexOf(":\n")))),
];
