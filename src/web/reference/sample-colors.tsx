import type { ReactNode } from "react";

const words =
  "import|from|const|let|await|new|return|package|func|if|defer|panic|nil|None|True|False|true|false|null|print|curl";
const pattern = new RegExp(
  `("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\`)|(\\b-?\\d+(?:\\.\\d+)?\\b)|(\\b(?:${words})\\b|(?<=\\s)-{1,2}[a-zA-Z-]+)`,
  "g",
);

/** Strings, numbers and keywords in colour: samples and JSON are simple enough for one expression. */
export function colored(code: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [whole, string, number] = match;
    parts.push(code.slice(end, match.index));
    const isName =
      string !== undefined && /^\s*:/.test(code.slice(match.index + whole.length, match.index + whole.length + 3));
    const kind = string !== undefined ? (isName ? "attr" : "string") : number !== undefined ? "number" : "keyword";
    parts.push(
      <span key={match.index} className={`code-${kind}`}>
        {whole}
      </span>,
    );
    end = match.index + whole.length;
  }
  parts.push(code.slice(end));
  return parts;
}
