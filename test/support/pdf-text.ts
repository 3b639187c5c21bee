import { findProgram } from "./find-program.ts";

/** The text of a PDF in reading order, as a reader copies it, without the marks of its direction. */
export async function pdfText(pdf: Uint8Array): Promise<string> {
  const reader = Bun.spawn([findProgram("pdftotext"), "-layout", "-", "-"], {
    stdin: pdf,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [text, errors, exitCode] = await Promise.all([
    new Response(reader.stdout).text(),
    new Response(reader.stderr).text(),
    reader.exited,
  ]);
  if (exitCode !== 0 || errors !== "") throw new Error(`pdftotext ended with ${exitCode}: ${errors}`);
  return text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}
