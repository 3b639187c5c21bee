export function DeploymentsPage() {
  return null;
}
