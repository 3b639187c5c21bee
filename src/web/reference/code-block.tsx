import type { ReactNode } from "react";
import { CopyButton } from "../components/copy.tsx";

interface CodeBlockProps {
  text: string;
  label?: string | undefined;
  children: ReactNode;
}

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
        <code>{children}</code>
      </pre>
    </div>
  );
}
