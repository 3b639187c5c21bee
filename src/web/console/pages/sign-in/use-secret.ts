import { useState } from "react";

/** What follows `#` in the address. It is removed from the address, so that it is not in the history or on a screenshot. */
export function useSecret(): string {
  const [secret] = useState(() => window.location.hash.slice(1));
  if (window.location.hash !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  return secret;
}
