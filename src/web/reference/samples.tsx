import { useState } from "react";
import type { OperationPage } from "../../client/portal/schema.gen.ts";
import { CodeBlock } from "./code-block.tsx";
import { filledText } from "./fill.ts";
import type { ReferenceApi } from "./reference-api.ts";
import { colored } from "./sample-colors.tsx";

const stored = "portal-language";

function lastLanguage(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** The request in several languages. */
export function Samples({ operation, api }: { operation: OperationPage; api: ReferenceApi }) {
  const [language, setLanguage] = useState(lastLanguage);
  const { samples } = operation;
  const sample = samples.find((each) => each.language === language) ?? samples[0];
  if (!sample) return null;
  const code = filledText(sample.code, api);
  const choose = (name: string) => {
    setLanguage(name);
    try {
      localStorage.setItem(stored, name);
    } catch {
      // Without storage the choice lasts until the page is left.
    }
  };
  return (
    <div className="samples">
      <fieldset className="sample-tabs" aria-label="Language">
        {samples.map(({ language: name }) => (
          <button key={name} type="button" aria-pressed={name === sample.language} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </fieldset>
      <CodeBlock text={code} label={sample.language}>
        {colored(code)}
      </CodeBlock>
    </div>
  );
}
