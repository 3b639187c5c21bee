/** Figures and charts of an installation in use. */
export function Overview() {
  return null;
}
