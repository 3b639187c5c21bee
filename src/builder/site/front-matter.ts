import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { type Findings, fileStart } from "../documents/findings.ts";

/** Other members are ignored: many tools have their own. */
const schema = z.object({
  title: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  group: z.string().max(100).optional(),
  order: z.number().optional(),
});

interface FrontMatter {
  settings: z.output<typeof schema>;
  /** What follows it. */
  text: string;
  /** The line in which the text begins. */
  firstLine: number;
}

/** Reads the YAML between two lines of `---` at the beginning of a Markdown file. Errors are added to the findings. */
export function readFrontMatter(file: string, source: string, findings: Findings): FrontMatter {
  const normal = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const found = /^---[ \t]*\n(.*?)(?:\n)?---[ \t]*(?:\n|$)/s.exec(normal);
  if (!found) return { settings: {}, text: normal, firstLine: 1 };
  const text = normal.slice(found[0].length);
  const firstLine = found[0].split("\n").length;
  try {
    const parsed = schema.safeParse(parse(found[1]!, { maxAliasCount: 0 }) ?? {});
    if (parsed.success) return { settings: parsed.data, text, firstLine };
    const [issue] = parsed.error.issues;
    findings.error(file, fileStart, `front matter: "${issue!.path.join(".")}": ${issue!.message}`);
  } catch (error) {
    const line = error instanceof YAMLParseError ? (error.linePos?.[0].line ?? 0) : 0;
    findings.error(file, { line: line + 1, column: 1 }, "the front matter is not valid YAML");
  }
  return { settings: {}, text, firstLine };
}
