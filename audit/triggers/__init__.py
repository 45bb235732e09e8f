"""What makes an audit run: launch gates, schedules, hooks."""
