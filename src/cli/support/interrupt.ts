/** Aborts with Ctrl-C, SIGTERM or a terminal that is closed: what follows something without end is ended by that, and it is no failure. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => controller.abort());
  // Whoever read our output has gone: `tollgate deployments logs -f | head`.
  process.stdout.once("error", () => controller.abort());
  return controller.signal;
}
