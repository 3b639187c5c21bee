export function DeploymentPage() {
  return null;
}
