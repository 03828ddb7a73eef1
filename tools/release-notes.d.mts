/** The section of a release in CHANGELOG.md. */
export function releaseNotes(version: string, date: string, changesets: readonly string[]): string;
