/** The version of this build, put in by the bundler. */
export const version: string = process.env['TAILGATE_VERSION'] ?? '0.0.0-source';
