"""The protocol `memory` 0.2.0 as pure values and rules: no files, no clock, no environment, no screen."""
