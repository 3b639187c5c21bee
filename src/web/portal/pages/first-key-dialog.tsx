import { showFirstKey, useFirstKey } from "./enter/first-key.ts";
import { KeyValue } from "./key-dialogs.tsx";

/** The key that a sign-up has created, above the page on which the person goes on. */
export default function FirstKeyDialog() {
  const value = useFirstKey();
  if (value === undefined) return null;
  return <KeyValue title="Your first key" value={value} onClose={() => showFirstKey(undefined)} />;
}
