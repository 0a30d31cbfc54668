"""The reference modules: one per lesson, under the lesson's slug."""
