"""The only place that knows both the services and the screen."""
