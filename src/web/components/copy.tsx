import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { toast } from "./toasts.ts";

/** Copies the text and shows a short confirmation in place. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: ReactNode }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await copyText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      toast("The browser did not allow copying. Select the text and copy it yourself.", "red");
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <Button
      kind={children ? "secondary" : "quiet"}
      isSmall
      isIcon={!children}
      aria-label={children ? undefined : label}
      title={label}
      onClick={copy}
    >
      <Icon size={14} aria-hidden />
      {children}
      {copied && (
        <span className="visually-hidden" role="status">
          Copied
        </span>
      )}
    </Button>
  );
}

/** Pages over plain HTTP have no clipboard API: a selected field is copied instead. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  const parent = document.activeElement?.parentElement ?? document.body;
  parent.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("copy");
}

/** For menus, which close before they could show a confirmation. */
export async function copyWithToast(text: string, what: string): Promise<void> {
  try {
    await copyText(text);
    toast(`${what} copied`);
  } catch {
    toast("The browser did not allow copying. Select the text and copy it yourself.", "red");
  }
}

/** An id, key or URL in monospace, with a copy button. */
export function Copyable({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <span className="copyable">
      <span className="mono" title={text}>
        {children ?? text}
      </span>
      <CopyButton text={text} label={`Copy ${text.length > 40 ? "it" : text}`} />
    </span>
  );
}

/** What to do with a value, as code. */
export const TitledCode = ({ title, text }: { title: string; text: string }) => (
  <div className="stack stack-tight">
    <h3>{title}</h3>
    <Code text={text} />
  </div>
);

/** Long code scrolls, also by keyboard. */
export function Code({ text, isSecret }: { text: string; isSecret?: boolean }) {
  return (
    <div className={`code ${isSecret ? "secret" : ""}`}>
      <pre tabIndex={text.split("\n").length > 20 || text.length > 2000 ? 0 : undefined}>{text}</pre>
      <CopyButton text={text} label="Copy" />
    </div>
  );
}
