import { maxDepth, maxValues, tooDeep, tooMany } from "./document-limits.ts";
import { type Findings, fileStart, type Position } from "./findings.ts";
import type { Path, SourceDocument } from "./source-document.ts";

export const maxDocumentBytes = 5 * 1024 * 1024;

/** Parses a JSON or YAML file. Returns undefined and adds an error to the findings if that fails. */
export async function readDocument(
  file: string,
  bytes: Uint8Array,
  findings: Findings,
): Promise<SourceDocument | undefined> {
  const text = textOf(file, bytes, findings);
  if (text === undefined) return undefined;
  try {
    const document = file.endsWith(".json")
      ? (await import("./json-document.ts")).readJson(file, text, findings)
      : (await import("./yaml-document.ts")).readYaml(file, text, findings);
    return document && isReasonable(document, findings) ? document : undefined;
  } catch (error) {
    // The parsers are recursive.
    if (!(error instanceof RangeError)) throw error;
    findings.error(file, fileStart, tooDeep);
    return undefined;
  }
}

function textOf(file: string, bytes: Uint8Array, findings: Findings): string | undefined {
  if (bytes.length > maxDocumentBytes) {
    findings.error(file, fileStart, `is larger than ${maxDocumentBytes / 1024 / 1024} MiB`);
    return undefined;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    findings.error(file, fileStart, "is not UTF-8");
    return undefined;
  }
}

/** Rejects circular documents and members named `__proto__`. */
function isReasonable(document: SourceDocument, findings: Findings): boolean {
  let values = 0;
  let allowsUsage = true;
  const reject = (position: Position, message: string) => {
    findings.error(document.file, position, message);
    allowsUsage = false;
  };
  const visit = (value: unknown, path: Path): void => {
    values += 1;
    if (values > maxValues || !allowsUsage) return;
    if (path.length > maxDepth) reject(document.positionOf(path), tooDeep);
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, [...path, index]);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        values += 1;
        if (name === "__proto__")
          reject(document.positionOfKey([...path, name]), 'a member may not be called "__proto__"');
        visit(member, [...path, name]);
      }
    }
  };
  visit(document.value, []);
  if (values > maxValues) reject(fileStart, tooMany);
  return allowsUsage;
}
