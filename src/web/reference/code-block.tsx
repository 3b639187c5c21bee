import type { ReactNode } from "react";
import { CopyButton } from "../components/copy.tsx";

interface CodeBlockProps {
  text: string;
  label?: string | undefined;
  /** The text in colour, if it has its own. */
  children?: ReactNode;
}

/** Colours are for reading, and a text this long is not read. */
const maxColored = 20_000;

/** Code with a button that copies it. */
export function CodeBlock({ text, label, children }: CodeBlockProps) {
  return (
    <div className="code-block">
      <div className="code-block-head">
        <span>{label}</span>
        <CopyButton text={text} label="Copy the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide code scrolls, also with the keyboard. */}
      <pre tabIndex={0}>
        <code>{children ?? (text.length > maxColored ? text : colored(text))}</code>
      </pre>
    </div>
  );
}

interface SampleTabsProps {
  label: string;
  names: string[];
  shown: string | undefined;
  onChoose: (name: string) => void;
}

/** The choice between samples. */
export function SampleTabs({ label, names, shown, onChoose }: SampleTabsProps) {
  return (
    <fieldset className="sample-tabs" aria-label={label}>
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={name === shown} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

const words =
  "import|from|const|let|await|new|return|package|func|if|defer|panic|nil|None|True|False|true|false|null|print|curl";
const pattern = new RegExp(
  `("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`[^\`]*\`)|(\\b-?\\d+(?:\\.\\d+)?\\b)|(\\b(?:${words})\\b|(?<=\\s)-{1,2}[a-zA-Z-]+)`,
  "g",
);

/** Strings, numbers and keywords in colour: samples and JSON are simple enough for one expression. */
function colored(code: string): ReactNode[] {
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
